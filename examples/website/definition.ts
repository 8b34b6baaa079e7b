import { type Conversion, conversion, customResource, Type } from 'chancery/schema';

const status = Type.Object({ readyReplicas: Type.Integer() });
const image = Type.String({ minLength: 1 });

/** The first version had three sizes. Clients that still use it are served. */
const v1alpha1 = {
  version: 'v1alpha1',
  spec: Type.Object({
    image,
    size: Type.Enum(['small', 'medium', 'large'], { default: 'small' }),
  }),
  status,
  printerColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
} as const;

const v1 = {
  version: 'v1',
  spec: Type.Object({
    image,
    replicas: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
  }),
  status,
  printerColumns: [{ name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' }],
} as const;

const REPLICAS = { small: 1, medium: 3, large: 10 } as const;

function sizeOf(replicas: number): keyof typeof REPLICAS {
  if (replicas <= 1) return 'small';
  return replicas <= 3 ? 'medium' : 'large';
}

const sizes: Conversion = conversion(v1alpha1, v1, {
  up: ({ spec: { image, size }, status }) => ({
    spec: { image, replicas: REPLICAS[size] },
    status,
  }),
  // The exact number is kept in an annotation, and comes back unless a client chooses another size.
  down: ({ spec: { image, replicas }, status }) => ({
    spec: { image, size: sizeOf(replicas) },
    status,
  }),
});

export const websites = customResource({
  group: 'example.dev',
  kind: 'Website',
  shortNames: ['web'],
  ...v1,
  otherVersions: [{ ...v1alpha1, deprecated: true }],
  convert: [sizes],
});
