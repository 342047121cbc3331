"""What must run comes before what is asked: turns for requests, the lock of writers, duties that are late."""
