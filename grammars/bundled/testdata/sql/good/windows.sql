select row_number() over w,
       sum(x) filter (where x > 0) over (partition by y order by z rows between 1 preceding and current row exclude ties),
       lag(x, 1) over (w range unbounded preceding)
from t
window w as (partition by a order by b desc)
