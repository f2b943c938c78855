import { expect, test } from 'vitest';
import { fileIn, formWith, type Upload } from './multipart.ts';

const plain: Upload = { name: 'plan.txt', contentType: 'text/plain', bytes: Buffer.from('hello') };
const boundaryOf = ({ headers }: ReturnType<typeof formWith>) => headers['content-type'].split('boundary=')[1] ?? '';

test('neither a file nor its name adds a field to the form, even where the mark of the run is known', () => {
  const known = boundaryOf(formWith(plain, false, 'mark'));
  const field = `x\r\n--${known}\r\nContent-Disposition: form-data; name="url"\r\n\r\nhttps://evil.example/\r\n`;
  for (const over of [{ bytes: Buffer.from(field) }, { name: field }]) {
    const form = formWith({ ...plain, ...over }, false, 'mark');
    expect(form.body.toString().split(`--${boundaryOf(form)}`)).toHaveLength(5);
  }
});

test.each([
  { name: 'a"; name="url"; x="' },
  { name: 'a\r\nContent-Disposition: form-data; name="url"' },
  { name: 'a\r\n\r\nanother beginning' },
  { contentType: 'text/html\r\nContent-Disposition: form-data; name="url"' },
  { contentType: 'text/html\r\n\r\nanother beginning' },
])('what stands before a file is ours, whatever it is called: %j', async (over) => {
  const form = formWith({ ...plain, ...over }, false, 'mark');
  const read = await new Response(form.body, { headers: form.headers }).formData();
  expect([[...read.keys()], await (read.get('file') as File).text()]).toEqual([['name', 'setCover', 'file'], 'hello']);
  const [before = ''] =
    form.body
      .toString()
      .split(`--${boundaryOf(form)}`)[3]
      ?.split('hello') ?? [];
  expect(before.trim().split('\r\n')).toEqual([
    expect.stringMatching(/^Content-Disposition: form-data; name="file"; filename="[^"]*"$/),
    expect.stringMatching(/^Content-Type: text\/[^"]+$/),
  ]);
});

test('the same upload is the same form, and tells its name and size', () => {
  expect(formWith(plain, true, 'mark')).toEqual(formWith(plain, true, 'mark'));
  expect(fileIn(formWith(plain, true, 'mark'))).toEqual({ name: 'plan.txt', size: 5 });
});
