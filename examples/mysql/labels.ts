import { GROUP } from './resources.ts';

/** On everything that is found again by a label. */
export const MANAGED = { 'app.kubernetes.io/managed-by': 'mysql-operator' } as const;

/** On Pods: the cluster that they are of. */
export const CLUSTER = `${GROUP}/cluster`;

/** On Pods: `primary`, which is written to, or `replica`. */
export const ROLE = `${GROUP}/role`;

/** On Jobs and claims: the schedule that they are of. */
export const SCHEDULE = `${GROUP}/schedule`;

/** On a Job that removes the data of a backup: the uid of that. */
export const REMOVES = `${GROUP}/removes`;

/** Annotation of a Job of a schedule: the backup that was made for it, `none` if a later Job was due, too. */
export const BACKUP = `${GROUP}/backup`;

/** Annotation of a StatefulSet: the claim and the backup that its volumes were restored from. */
export const RESTORED_FROM = `${GROUP}/restored-from`;

/** Annotation of a backup: with `true` it goes and its data stays. */
export const KEEP_DATA = `${GROUP}/keep-data`;
