"""How figures are taken, kept, shown and compared; what is measured is in the files beside this folder."""
