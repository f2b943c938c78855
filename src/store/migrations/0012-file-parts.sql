-- Files come and go in parts, so that no process ever holds a large one as a whole.
create table file_parts (
  workspace_id text not null,
  file_id text not null references files on delete cascade,
  seq integer not null,
  bytes bytea not null,
  primary key (workspace_id, file_id, seq)
);
create index on file_parts (file_id);
-- What people attach is mostly packed already.
alter table file_parts alter column bytes set storage external;
select wall('file_parts');

insert into file_parts (workspace_id, file_id, seq, bytes)
select workspace_id, id, seq, substring(bytes from seq * 1310720 + 1 for 1310720)
from files, generate_series(0, (size - 1) / 1310720) seq where size > 0;

-- False while its parts are still coming; nobody sees it until then.
alter table files add column complete boolean not null default true;
alter table files drop column bytes;
