/** An image reference, split into the values that charts use for it. */
export interface ImageParts {
  readonly repository: string;
  /** The tag. Empty when the reference has no tag. */
  readonly tag: string;
  /** The digest, such as `sha256:…`. Empty when the reference has no digest. */
  readonly digest: string;
}

/** Splits an image reference. A colon before a slash belongs to the port of a registry. */
export function imageParts(image: string): ImageParts {
  const [name = '', digest = ''] = image.split('@');
  const at = name.lastIndexOf(':');
  const hasTag = at > name.lastIndexOf('/');
  return {
    repository: hasTag ? name.slice(0, at) : name,
    tag: hasTag ? name.slice(at + 1) : '',
    digest,
  };
}
