/* Questions that are asked every month. */

with monthly as (
    select region, strftime('%Y-%m', sold_at) as period, sum(amount) as sales
    from transactions
    where sold_at >= :since
    group by region, period
), ranked as (
    select monthly.*, rank() over (partition by period order by sales desc) as position
    from monthly
)
select period, region, sales,
       sales - lag(sales) over (partition by region order by period) as growth,
       case when position = 1 then 'best' when position <= 3 then 'good' else 'rest' end as grade
from ranked
where position <= 10
order by period, position
limit 100 offset 0;

select e.surname, e.salary, d.label as department, m.surname as manager
from employees e
left join departments d on d.dept_no = e.dept_no
left join employees m on m.emp_no = e.manager_no
where e.salary > (select avg(peer.salary) from employees peer where peer.dept_no = e.dept_no)
  and e.hired_on is not null
  and (e.surname like 'Mc%' or e.surname not like '%son' escape '\')
  and not exists (select 1 from absences a where a.emp_no = e.emp_no and a.reason in ('strike', 'unknown'))
order by d.label, e.salary desc;

select city, count(*) as inhabitants from residents group by city having count(*) > 1000
union all
select village, 0 from settlements where village is not null
except
select town, -1 from ghosts
order by 2 desc;

with recursive ancestors (child, parent, generation) as (
    select child, parent, 1 from family where child = ?1
    union all
    select f.child, f.parent, generation + 1
    from family f join ancestors a on f.child = a.parent
    where generation < 20
)
select distinct parent, generation from ancestors;

select coalesce(nickname, username, 'nobody') || ' <' || address || '>' as sender,
       cast(julianday('now') - julianday(joined) as integer) as days,
       upper(substr(country, 1, 2)) as code,
       round(100.0 * wins / (wins + losses), 1) as percentage
from members
where wins + losses <> 0 and banned = 0;
