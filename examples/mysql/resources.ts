import {
  AGE_COLUMN,
  customResource,
  type ObjectOf,
  type PrinterColumnOptions,
  Quantity,
  Type,
  type ValidationRule,
  withRules,
} from 'chancery/schema';

/** The original's group, kinds, short names and fields. */
export const GROUP = 'cr.mysqloperator.grtl.github.com';

const API = { group: GROUP, version: 'v1' } as const;

/** What is made of an object has its name as a part of its own: `first` is what it may begin with. */
const nameRule = (first: string, what: string, maxLength: number): ValidationRule => ({
  rule: `self.metadata.name.matches('^[${first}]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= ${maxLength}`,
  message: `the name must be ${what} of ${maxLength} characters at most`,
});

const label = (maxLength: number): ValidationRule => nameRule('a-z0-9', 'a DNS label', maxLength);

const columns = (paths: Readonly<Record<string, string>>): readonly PrinterColumnOptions[] =>
  Object.entries(paths).map(([name, jsonPath]) => ({ name, jsonPath }));

/** What the API server refuses it repeats, and conditions show. */
const SHOWN = { minLength: 1, maxLength: 1_024 } as const;

const name = (): ReturnType<typeof Type.String> => Type.String({ minLength: 1, maxLength: 253 });

/** Claims are made once: a size that changes later would be refused by the StatefulSet, or change nothing. */
const KEEPS_ITS_SIZE = 'volumes keep the size that they were made with';

export const clusters = customResource({
  ...API,
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
      [{ rule: 'self == oldSelf', message: KEEPS_ITS_SIZE }],
    ),
    replicas: Type.Integer({ minimum: 0, maximum: 1_000, default: 2, format: 'int32' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 3306, format: 'int32' }),
    image: Type.String({ ...SHOWN, default: 'mysql:8.4' }),
    xtrabackupImage: Type.String({
      ...SHOWN,
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
  // As the root of the names of Services and Pods. A Pod's revision label adds 11 characters to it.
  rules: [nameRule('a-z', 'a DNS label that begins with a letter,', 52)],
  printerColumns: [
    ...columns({
      Replicas: '.spec.replicas',
      Ready: '.status.readyReplicas',
      State: '.status.state',
    }),
    AGE_COLUMN,
  ],
});

export const schedules = customResource({
  ...API,
  kind: 'MySQLBackupSchedule',
  shortNames: ['mb', 'mbs'],
  spec: withRules(
    Type.Object({
      cluster: name(),
      time: Type.String({
        ...SHOWN,
        description: 'When, in the five fields of cron, UTC.',
      }),
      storage: Type.Optional(
        Quantity({
          description: 'Size of the volume of all backups. Default: that of the cluster.',
        }),
      ),
    }),
    // Also of one that comes later, or goes.
    [
      {
        rule: 'has(self.storage) == has(oldSelf.storage) && (!has(self.storage) || self.storage == oldSelf.storage)',
        message: KEEPS_ITS_SIZE,
      },
    ],
  ),
  status: Type.Object({
    lastBackup: Type.Optional(Type.String({ description: 'The MySQLBackupInstance made last.' })),
  }),
  rules: [label(36)], // `NAME-2006-01-02-15-04-05-create` must be the name of a Job: 63 characters
  printerColumns: [
    ...columns({ Cluster: '.spec.cluster', Time: '.spec.time', Last: '.status.lastBackup' }),
    AGE_COLUMN,
  ],
});

export const instances = customResource({
  ...API,
  kind: 'MySQLBackupInstance',
  shortNames: ['mbi', 'mbis'],
  spec: withRules(Type.Object({ schedule: name(), cluster: name() }), [
    { rule: 'self == oldSelf', message: 'a backup stays the backup that it is' },
  ]),
  status: Type.Object({
    phase: Type.Enum(['Scheduled', 'Started', 'Failed', 'Completed']),
  }),
  rules: [label(56)], // with `-create` and `-delete`
  // What the original's README has to ask for with -o custom-columns.
  printerColumns: [
    ...columns({ Status: '.status.phase', Schedule: '.spec.schedule', Cluster: '.spec.cluster' }),
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
  rules: [{ rule: 'false', message: `write a MySQLBackupSchedule of ${GROUP}/v1 instead` }],
});

export type Cluster = ObjectOf<typeof clusters>;
export type Schedule = ObjectOf<typeof schedules>;
export type Instance = ObjectOf<typeof instances>;
