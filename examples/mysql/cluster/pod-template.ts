import type { coreV1 } from 'chancery/kubernetes';
import { CLUSTER } from '../labels.ts';
import type { Cluster } from '../resources.ts';
import { script } from '../scripts.ts';
import { configName } from './config.ts';

/** Where the data of a new cluster come from. */
export interface Restore {
  /** The PersistentVolumeClaim that has it. */
  readonly claim: string;
  /** The MySQLBackupInstance, and its folder there. */
  readonly backup: string;
}

const SCRIPTS = { init: script('init'), clone: script('clone'), serve: script('serve') };

const DATA = { name: 'data', mountPath: '/var/lib/mysql', subPath: 'mysql' };
const CONF = { name: 'conf', mountPath: '/etc/mysql/conf.d' };
/** In memory, and gone with the Pod. */
const CREDENTIALS = { name: 'credentials', mountPath: '/mnt/credentials' };
const CLIENT = `--defaults-extra-file=${CREDENTIALS.mountPath}/client.cnf`;

export function podTemplateOf(
  cluster: Cluster,
  restore: Restore | undefined,
): coreV1.PodTemplateSpec {
  const { name } = cluster.metadata;
  return {
    metadata: { labels: { app: name, [CLUSTER]: name } },
    spec: {
      initContainers: [initOf(cluster), cloneOf(cluster, restore)],
      containers: [mysqlOf(cluster), xtrabackupOf(cluster)],
      volumes: [
        { name: 'conf', emptyDir: {} },
        { name: 'credentials', emptyDir: { medium: 'Memory' } },
        { name: 'config-map', configMap: { name: configName(cluster) } },
        ...(restore === undefined
          ? []
          : [{ name: 'restore', persistentVolumeClaim: { claimName: restore.claim } }]),
      ],
    },
  };
}

function password({ spec }: Cluster): coreV1.EnvVar {
  const secretKeyRef = { name: spec.secret, key: 'password' };
  return { name: 'MYSQL_ROOT_PASSWORD', valueFrom: { secretKeyRef } };
}

function place({ metadata, spec }: Cluster): readonly coreV1.EnvVar[] {
  return [
    { name: 'CLUSTER', value: metadata.name },
    { name: 'PORT', value: String(spec.port) },
  ];
}

function initOf(cluster: Cluster): coreV1.Container {
  return {
    name: 'init-mysql',
    image: cluster.spec.image,
    command: ['bash', '-c', SCRIPTS.init],
    env: [password(cluster)],
    volumeMounts: [
      { name: 'conf', mountPath: '/mnt/conf.d' },
      { name: 'config-map', mountPath: '/mnt/config-map' },
      CREDENTIALS,
    ],
  };
}

function cloneOf(cluster: Cluster, restore: Restore | undefined): coreV1.Container {
  return {
    name: 'clone-mysql',
    image: cluster.spec.xtrabackupImage,
    command: ['bash', '-c', SCRIPTS.clone],
    env: [...place(cluster)],
    volumeMounts: [
      DATA,
      CONF,
      ...(restore === undefined
        ? []
        : [
            {
              name: 'restore',
              mountPath: '/mysql/backup',
              subPath: restore.backup,
              readOnly: true,
            },
          ]),
    ],
  };
}

function mysqlOf(cluster: Cluster): coreV1.Container {
  const { image, port } = cluster.spec;
  return {
    name: 'mysql',
    image,
    args: [`--port=${port}`],
    env: [password(cluster)],
    volumeMounts: [DATA, CONF, CREDENTIALS],
    resources: { requests: { cpu: '500m', memory: '1Gi' } },
    livenessProbe: {
      exec: { command: ['mysqladmin', CLIENT, `--port=${port}`, '--host=127.0.0.1', 'ping'] },
      initialDelaySeconds: 30,
      periodSeconds: 10,
      timeoutSeconds: 5,
    },
    readinessProbe: {
      // Over TCP: while mysqld sets itself up it listens on its socket alone.
      exec: {
        command: ['mysql', CLIENT, `--port=${port}`, '--host=127.0.0.1', '--execute=SELECT 1'],
      },
      initialDelaySeconds: 5,
      periodSeconds: 2,
      timeoutSeconds: 1,
    },
  };
}

function xtrabackupOf(cluster: Cluster): coreV1.Container {
  return {
    name: 'xtrabackup',
    image: cluster.spec.xtrabackupImage,
    command: ['bash', '-c', SCRIPTS.serve],
    env: [password(cluster), ...place(cluster)],
    ports: [{ name: 'xtrabackup', containerPort: 3307 }],
    volumeMounts: [DATA, CONF, CREDENTIALS],
    resources: { requests: { cpu: '100m', memory: '100Mi' } },
  };
}
