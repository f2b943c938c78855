-- Whoever opened the link did not say that it is a window: it may have been the preview of a chat or a mail.
alter table connects add column if not exists previewed boolean not null default false;
