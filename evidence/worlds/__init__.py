"""Which results of papers hold in other worlds: other radios, transports, loads and movement."""
