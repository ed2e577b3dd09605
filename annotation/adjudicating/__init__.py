"""The last word on items that the votes leave open: why, adjudication in Label Studio or by a file, audits."""
