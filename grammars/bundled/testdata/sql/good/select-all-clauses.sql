select distinct a, t.*, b as total, count(*) n
from t
where a > 1
group by a, b
having count(*) > 2
order by a desc nulls last, 2
limit 10 offset 5;
