/** An answer other than success, in the service's own words: a plain sentence or a JSON object. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;

  constructor(status: number, body: string, contentType = 'text/plain; charset=utf-8') {
    super(body);
    this.status = status;
    this.body = body;
    this.contentType = contentType;
  }
}

export const plain = (status: number, sentence: string): Refusal => new Refusal(status, sentence);

export const coded = (status: number, message: string, error = 'ERROR'): Refusal =>
  new Refusal(status, JSON.stringify({ message, error }), 'application/json; charset=utf-8');

export const notFound = (): Refusal => plain(404, 'The requested resource was not found.');
export const invalidId = (): Refusal => plain(400, 'invalid id');
export const invalidValue = (name: string): Refusal => plain(400, `invalid value for ${name}`);
export const invalidObjectId = (): Refusal => coded(400, 'Invalid objectId');
export const unauthorized = (sentence = 'unauthorized permission requested'): Refusal => plain(401, sentence);
