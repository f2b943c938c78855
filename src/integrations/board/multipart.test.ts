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

test('the same upload is the same form, and tells its name and size', () => {
  expect(formWith(plain, true, 'mark')).toEqual(formWith(plain, true, 'mark'));
  expect(fileIn(formWith(plain, true, 'mark'))).toEqual({ name: 'plan.txt', size: 5 });
});
