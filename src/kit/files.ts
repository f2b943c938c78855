/** A stored file, as steps and answers mention it: the content itself stays out of journals and models. */
export type FileRef = { ref: string; name: string; contentType: string; size: number };

/** Files of the workspace a step runs in. */
export type Files = {
  read(ref: string): Promise<FileRef & { bytes: Buffer }>;
  store(file: { name: string; contentType: string; bytes: Buffer }): Promise<FileRef>;
};
