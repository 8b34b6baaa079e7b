/** An image as charts name it. */
export interface ImageParts {
  readonly repository: string;
  /** Empty when there is none. */
  readonly tag: string;
  /** `sha256:…`; empty when there is none. */
  readonly digest: string;
}

/** The parts of an image. A colon before a slash belongs to the port of a registry. */
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
