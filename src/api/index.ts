export { access } from './access.ts';
export { createApp, type Rooms } from './app.ts';
export { type Listening, listen } from './listen.ts';
