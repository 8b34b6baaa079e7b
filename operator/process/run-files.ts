/** Folders for the files of runs, below one folder of this process. */
export declare class RunFolders {
  /** Makes the folder of this process below `tmpDir`, and removes those of processes that are gone. */
  static open(tmpDir: string): Promise<RunFolders>;
  /** A fresh folder, mode 0700. Disposing of it removes it with all files. */
  create(): Promise<RunFolder>;
  /** Removes everything. */
  close(): Promise<void>;
}

export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  /** Makes the file with this text, mode 0644. Returns its path. */
  write(name: string, text: string): Promise<string>;
  /** The text of a file that a program has left; empty when it is gone. @throws ResultFileError */
  read(name: string): Promise<string>;
}
