import { AGE_COLUMN, customResource, type ObjectOf, Type } from 'chancery/schema';

/**
 * What the original takes, and what it does not check. Every field may be left out, as there: an object
 * that was stored without its image could otherwise not be told so.
 */
const databasesOf = (group: string) =>
  customResource({
    group,
    version: 'v1',
    kind: 'Database',
    shortNames: ['db'],
    spec: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
        port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5432 }),
        'storage-size': Type.String({
          pattern: '^[0-9]+([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$',
          default: '1Gi',
        }),
        image: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
        replicas: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
      },
      { default: {} },
    ),
    status: Type.Object({ phase: Type.String(), readyReplicas: Type.Integer() }),
    printerColumns: [
      { name: 'Phase', jsonPath: '.status.phase' },
      { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
      AGE_COLUMN,
    ],
  });

/** The group of the original's repository, and the one that its article prints. */
export const databases = {
  co: databasesOf('stable.imaginedata.co'),
  com: databasesOf('stable.imaginedata.com'),
} as const;

export type Database = ObjectOf<typeof databases.co>;
