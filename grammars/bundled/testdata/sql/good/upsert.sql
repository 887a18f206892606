insert into counts as c (word, n) values ('a', 1)
on conflict (word) where n > 0 do update set n = c.n + excluded.n, (seen, by) = (select 1, 2) where c.n < 100
returning n as total
