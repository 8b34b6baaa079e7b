import { AGE_COLUMN, customResource, Quantity, Type, withRules } from 'chancery/schema';

/** The original's group, kinds, short names and fields. */
export const GROUP = 'cr.mysqloperator.grtl.github.com';

/** As the root of the names of Services and Pods. A Pod's revision label adds 11 characters to it. */
const CLUSTER_NAME = {
  rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= 52",
  message: 'the name must be a DNS label that begins with a letter, of 52 characters at most',
};

/** `NAME-2006-01-02-15-04-05-create` must be the name of a Job: 63 characters. */
const SCHEDULE_NAME = {
  rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= 36",
  message: 'the name must be a DNS label of 36 characters at most',
};

const INSTANCE_NAME = {
  rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= 56",
  message: 'the name must be a DNS label of 56 characters at most',
};

const name = (): ReturnType<typeof Type.String> => Type.String({ minLength: 1, maxLength: 253 });

/** Claims are made once: a size that changes later would be refused by the StatefulSet, or change nothing. */
const KEEPS_ITS_SIZE = [
  { rule: 'self == oldSelf', message: 'volumes keep the size that they were made with' },
];

export const clusters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'MySQLCluster',
  shortNames: ['mc', 'mcs'],
  spec: Type.Object({
    secret: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'Name of the Secret whose key `password` is the password of root.',
    }),
    storage: withRules(
      Quantity({ default: '1Gi', description: 'Size of the volume of each replica.' }),
      KEEPS_ITS_SIZE,
    ),
    replicas: Type.Integer({ minimum: 0, maximum: 1_000, default: 2, format: 'int32' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 3306, format: 'int32' }),
    image: Type.String({ minLength: 1, default: 'mysql:8.4' }),
    xtrabackupImage: Type.String({
      minLength: 1,
      default: 'percona/percona-xtrabackup:8.4',
      description: 'Must have xtrabackup of the series of `image`, xbstream, mysql, bash and ncat.',
    }),
    fromBackup: Type.Optional(
      Type.String({
        maxLength: 253,
        description: 'Name of a MySQLBackupInstance that is restored into empty volumes.',
      }),
    ),
  }),
  status: Type.Object({
    state: Type.String({ description: '`Successful update` or `Failed update`.' }),
    message: Type.String(),
    readyReplicas: Type.Integer(),
  }),
  rules: [CLUSTER_NAME],
  printerColumns: [
    { name: 'Replicas', jsonPath: '.spec.replicas' },
    { name: 'Ready', jsonPath: '.status.readyReplicas' },
    { name: 'State', jsonPath: '.status.state' },
    AGE_COLUMN,
  ],
});

export const schedules = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'MySQLBackupSchedule',
  shortNames: ['mb', 'mbs'],
  spec: Type.Object({
    cluster: name(),
    time: Type.String({ minLength: 1, description: 'When, in the five fields of cron, UTC.' }),
    storage: Type.Optional(
      withRules(
        Quantity({
          description: 'Size of the volume of all backups. Default: that of the cluster.',
        }),
        KEEPS_ITS_SIZE,
      ),
    ),
  }),
  status: Type.Object({
    lastBackup: Type.Optional(Type.String({ description: 'The MySQLBackupInstance made last.' })),
  }),
  rules: [SCHEDULE_NAME],
  printerColumns: [
    { name: 'Cluster', jsonPath: '.spec.cluster' },
    { name: 'Time', jsonPath: '.spec.time' },
    { name: 'Last', jsonPath: '.status.lastBackup' },
    AGE_COLUMN,
  ],
});

export const instances = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'MySQLBackupInstance',
  shortNames: ['mbi', 'mbis'],
  spec: withRules(Type.Object({ schedule: name(), cluster: name() }), [
    { rule: 'self == oldSelf', message: 'a backup stays the backup that it is' },
  ]),
  status: Type.Object({
    phase: Type.Union([
      Type.Literal('Scheduled'),
      Type.Literal('Started'),
      Type.Literal('Failed'),
      Type.Literal('Completed'),
    ]),
  }),
  rules: [INSTANCE_NAME],
  // What the original's README has to ask for with -o custom-columns.
  printerColumns: [
    { name: 'Status', jsonPath: '.status.phase' },
    { name: 'Schedule', jsonPath: '.spec.schedule' },
    { name: 'Cluster', jsonPath: '.spec.cluster' },
    { ...AGE_COLUMN, name: 'Created' },
  ],
});

/** The kind of the original's README, which its code never knew: refused, with what to write instead. */
export const backups = customResource({
  group: 'cr.mysqlbackup.grtl.github.com',
  version: 'v1',
  kind: 'MySQLBackup',
  spec: Type.Object({
    cluster: Type.Optional(Type.String()),
    time: Type.Optional(Type.String()),
  }),
  rules: [
    { rule: 'false', message: `write kind: MySQLBackupSchedule, apiVersion: ${GROUP}/v1 instead` },
  ],
});

export type Cluster = NonNullable<typeof clusters.objects>;
export type Schedule = NonNullable<typeof schedules.objects>;
export type Instance = NonNullable<typeof instances.objects>;
