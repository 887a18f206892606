with recursive
  counted(n) as (values (1) union all select n + 1 from counted where n < 10),
  kept as not materialized (select n from counted)
select sum(n) from kept
