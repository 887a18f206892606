create table if not exists main.person (
  id integer primary key autoincrement,
  name varchar(40) not null collate nocase,
  born timestamp with time zone default current_timestamp,
  size double precision check (size > 0) default -1.5,
  boss integer references person (id) on delete set null on update cascade deferrable initially deferred,
  initials text generated always as (substr(name, 1, 1)) stored,
  constraint named unique (name, born),
  foreign key (boss) references person,
  check (boss <> id)
)
