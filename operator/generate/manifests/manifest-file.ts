/** One file of a tree of manifests. */
export interface ManifestFile {
  /** Relative to the folder of the tree, with `/` between its parts. */
  readonly path: string;
  readonly text: string;
}
