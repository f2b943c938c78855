/**
 * Makes stored files of what a step is given otherwise, once for each run: what a person sees, what the digest stands for
 * and what is sent, however often the run is resumed, are the same bytes. Each answers a reference; `field` is the
 * place of what cannot be had.
 */
export type Gathering = {
  /** Loads what is at a web address. */
  fromAddress(address: string, field: string): Promise<string>;
  fromText(file: { name: string; contentType: string; text: string }): Promise<string>;
};
