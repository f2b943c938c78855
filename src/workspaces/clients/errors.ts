/** What goes wrong between a program and the token endpoint, in the words of OAuth. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
