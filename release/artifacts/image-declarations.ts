/** The images that a release builds. */

export interface ImageDeclaration {
  readonly name: string;
  readonly dockerfile: string;
  /** A stage of the Dockerfile; the last one without it. */
  readonly target?: string;
  /** The image of this list that it is built on, and the argument of its Dockerfile that names it. */
  readonly on?: { readonly image: string; readonly argument: string };
}

/** In the order in which they are built. */
export const IMAGES: readonly ImageDeclaration[] = [
  { name: 'chancery-proxy', dockerfile: 'Dockerfile.proxy' },
  { name: 'chancery-gate', dockerfile: 'Dockerfile.gate' },
  { name: 'chancery-operator', dockerfile: 'Dockerfile.operator' },
  { name: 'chancery-apiserver', dockerfile: 'Dockerfile.apiserver' },
  { name: 'chancery-hooks', dockerfile: 'Dockerfile.operator', target: 'hooks' },
  { name: 'chancery-certificates', dockerfile: 'Dockerfile.operator', target: 'certificates' },
  { name: 'chancery-metacontroller', dockerfile: 'Dockerfile.operator', target: 'metacontroller' },
  {
    name: 'reloader-operator',
    dockerfile: 'examples/reloader/Dockerfile',
    on: { image: 'chancery-operator', argument: 'OPERATOR_IMAGE' },
  },
];

/** Of every image. */
export const PLATFORMS: readonly string[] = ['linux/amd64', 'linux/arm64'];
