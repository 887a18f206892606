alter table articles add column slug text;
update articles set slug = lower(replace(headline, ' ', '-')) where slug is null;
create unique index articles_slug on articles (slug);

alter table articles rename column body to content;
alter table authors rename to writers;

create table tags (tag_id integer primary key autoincrement, tag text not null collate nocase unique);
create table article_tags (
    article_id integer not null references articles (article_id),
    tag_id integer not null references tags (tag_id),
    added_by integer,
    primary key (article_id, tag_id)
) without rowid;

insert into tags (tag)
select distinct trim(keyword) from legacy_keywords where keyword <> '' order by keyword;

insert or ignore into article_tags (article_id, tag_id)
select k.article_id, t.tag_id from legacy_keywords k inner join tags t on t.tag = trim(k.keyword);

savepoint cleanup;
delete from legacy_keywords where article_id not in (select article_id from articles);
release savepoint cleanup;

drop view if exists popular;
create temporary view popular as
select article_id, headline, views from articles where views > 1000 order by views desc limit 20;
drop table if exists legacy_keywords;
