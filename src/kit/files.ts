/** A stored file, as steps and answers mention it: the content itself stays out of journals and models. */
export type FileRef = { ref: string; name: string; contentType: string; size: number };

/** A file that is stored as it comes. Nobody sees it before it is kept; one that never is disappears by itself. */
export type NewFile = {
  write(chunk: Uint8Array): Promise<void>;
  keep(): Promise<FileRef>;
};

/** Files of the workspace a step runs in. */
export type Files = {
  /** What is known of a file without its content. */
  about(ref: string): Promise<FileRef>;
  /** A piece of its content: from the byte `from` up to, but without, the byte `to`. */
  slice(ref: string, from: number, to: number): Promise<Buffer>;
  /** A file as a whole; large ones are only given in slices. */
  read(ref: string): Promise<FileRef & { bytes: Buffer }>;
  store(file: { name: string; contentType: string; bytes: Buffer }): Promise<FileRef>;
  create(file: { name: string; contentType: string }): NewFile;
};
