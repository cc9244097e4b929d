"""The distiller that is always there: rules and labelled examples, Chinese and English."""
