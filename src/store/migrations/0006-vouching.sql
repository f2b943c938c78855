-- An owner may sign a member in by a link, and so vouches for who that is: in this workspace, not in the person's others.
-- Null means the person is known everywhere: the link came from the terminal of the house.
alter table sign_in_links add column vouched_by text;
alter table sessions add column vouched_by text;
-- Under whose word the password was chosen; it signs in as far as that word reaches.
alter table people add column password_by text;
-- Under whose word the workspace was made, which reaches there too.
alter table members add column vouched_by text;
