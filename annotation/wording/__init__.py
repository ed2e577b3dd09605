"""The words of labelling pages and guidelines, in each language, and how a page is dressed in them."""
