select *
from a
join b on a.id = b.id
inner join c using (id, part)
left outer join d on d.x = c.x and d.y is not null
right join e on true
full outer join f on false
natural join g
cross join h, i as j
