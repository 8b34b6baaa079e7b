import {
  AGE_COLUMN,
  customResource,
  type ObjectOf,
  Quantity,
  Type,
  withRules,
} from 'chancery/schema';
import { plansSchema } from '../plan.ts';

const Command = Type.Array(Type.String(), { minItems: 1 });
const Image = Type.String({ minLength: 1, maxLength: 500, pattern: '^[^ \\t\\n]+$' });
/** Of another object. */
const Name = Type.String({ maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' });
/** `image` defaults to the database's own, which has the client programs. */
const Program = { image: Type.Optional(Image), command: Command };

/** The claims are made from a template, which no API server lets anybody change. */
const Storage = withRules(
  Type.Object({
    size: Quantity(),
    className: Type.Optional(Name),
    mountPath: Type.String({ pattern: '^/[^:]*$', maxLength: 500, default: '/var/lib/database' }),
    retain: Type.Enum(['Delete', 'Retain'], { default: 'Retain' }),
  }),
  [
    {
      rule: "quantity(string(self.size)).isGreaterThan(quantity('0'))",
      message: 'a volume has a size',
    },
    { rule: 'self.size == oldSelf.size', message: 'the size of a volume is not changed here' },
    {
      rule: "(has(self.className) ? self.className : '') == (has(oldSelf.className) ? oldSelf.className : '')",
      message: 'the class of a volume is not changed here',
    },
  ],
);

const spec = withRules(
  Type.Object({
    /** Of the data. Without one nothing is ever upgraded, and `image` is followed at once. */
    version: Type.Optional(Type.String({ pattern: '^[0-9]+([.][0-9]+)*$', maxLength: 10 })),
    image: Image,
    /** The name of the database in it. Default: that of the object. */
    database: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
    replicas: Type.Integer({ minimum: 0, maximum: 100, default: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5432 }),
    storage: Storage,
    credentials: Type.Optional(Type.Object({ secretName: Name })),
    init: Type.Optional(Type.Object(Program)),
    /** Called with ACTION=join or leave and ORDINAL, for each replica that comes and goes. */
    members: Type.Optional(Type.Object(Program)),
    backup: Type.Optional(
      Type.Object({
        ...Program,
        schedule: Type.String({ minLength: 1, maxLength: 100 }),
        timeZone: Type.String({ minLength: 1, maxLength: 100, default: 'Etc/UTC' }),
        retention: Type.Integer({ minimum: 1, maximum: 1000, default: 7 }),
        /** A claim, mounted at /backup. */
        storage: Type.Optional(Name),
      }),
    ),
    snapshotOnDelete: Type.Enum(['None', 'Job', 'VolumeSnapshot'], { default: 'None' }),
    upgrade: Type.Optional(
      Type.Object({
        strategy: Type.Enum(['Job', 'None'], { default: 'Job' }),
        ...Program,
      }),
    ),
  }),
  [
    {
      rule: "self.snapshotOnDelete != 'Job' || has(self.backup)",
      message: 'a snapshot by a Job runs the command of backup',
    },
  ],
);

export const sampleDbs = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'SampleDB',
  plural: 'sampledbs',
  shortNames: ['sdb'],
  spec,
  status: Type.Object({
    phase: Type.String(),
    replicas: Type.Integer(),
    readyReplicas: Type.Integer(),
    selector: Type.String(),
    version: Type.Optional(Type.String()),
    backup: Type.Optional(
      Type.Object({
        schedule: Type.String(),
        since: Type.String(),
        next: Type.Optional(Type.String()),
      }),
    ),
    plans: plansSchema(['deploy', 'backup', 'upgrade', 'cleanup']),
  }),
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  rules: [
    {
      // The names of a Service and of Jobs are made from it: one label of 63 characters, with room.
      rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 32",
      message: 'the name is at most 32 of a-z, 0-9 and "-", and begins with a letter',
    },
  ],
  printerColumns: [
    { name: 'Phase', jsonPath: '.status.phase' },
    { name: 'Version', jsonPath: '.status.version' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    AGE_COLUMN,
  ],
});

export type SampleDb = ObjectOf<typeof sampleDbs>;
