"""auto: a combination of models, learned on edges hidden from the network itself."""
