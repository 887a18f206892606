-- A shop: who buys what.

begin transaction;

create table if not exists customers (
    customer_id   integer primary key,
    first_name    varchar(50) not null,
    last_name     varchar(50) not null,
    email         text unique,
    phone         varchar(20),
    created_at    timestamp default current_timestamp,
    loyalty       integer not null default 0 check (loyalty >= 0)
);

create table products (
    product_id  integer primary key,
    sku         char(12) not null unique,
    title       text not null,
    category    text references categories (name) on update cascade on delete set null,
    price       decimal(10, 2) not null check (price > 0),
    stock       integer not null default 0
);

create table orders (
    order_id    integer primary key,
    customer_id integer not null references customers (customer_id) on delete cascade,
    placed_on   date not null,
    shipped_on  date,
    status      text default 'new' check (status in ('new', 'paid', 'shipped', 'returned')),
    note        text
);

create table order_lines (
    order_id   integer not null,
    line_no    integer not null,
    product_id integer not null,
    quantity   integer not null default 1,
    discount   numeric(4, 2) default 0.0,
    primary key (order_id, line_no),
    foreign key (order_id) references orders (order_id) on delete cascade,
    foreign key (product_id) references products
);

create index idx_orders_customer on orders (customer_id, placed_on desc);
create unique index idx_products_title on products (lower(title)) where stock > 0;

create view revenue (month, total, buyers) as
select substr(o.placed_on, 1, 7), sum(l.quantity * p.price * (1 - l.discount)), count(distinct o.customer_id)
from orders o
join order_lines l on l.order_id = o.order_id
join products p using (product_id)
where o.status <> 'returned'
group by substr(o.placed_on, 1, 7);

insert into customers (customer_id, first_name, last_name, email) values
    (1, 'Ada', 'Lovelace', 'ada@example.org'),
    (2, 'Grace', 'Hopper', null),
    (3, 'Conor', 'O''Brien', 'conor@example.com');

insert into products (product_id, sku, title, price, stock)
values (10, 'AB-0001', 'Lamp', 39.90, 12), (11, 'AB-0002', 'Chair', 120, 3)
on conflict (sku) do update set price = excluded.price, stock = stock + excluded.stock;

update products set price = round(price * 1.05, 2) where category = 'furniture' and price between 50 and 500;

delete from orders where status = 'new' and placed_on < '2020-01-01';

commit;
