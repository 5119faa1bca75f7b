print("spinhost")
