module check

go 1.26
