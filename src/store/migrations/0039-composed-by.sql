-- What composed it: another edition of Switchboard may compose the same otherwise, and then asks once more.
alter table approvals add column composed_by text;
