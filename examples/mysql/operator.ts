import { clusterController } from './cluster/reconcile.ts';
import { roleController } from './cluster/roles.ts';
import { definition } from './definitions.ts';
import { instanceController } from './instance/reconcile.ts';
import { clusters, instances, schedules } from './resources.ts';
import { scheduleController } from './schedule/reconcile.ts';

export default [
  definition(clusters),
  definition(schedules),
  definition(instances),
  clusterController,
  roleController,
  scheduleController,
  instanceController,
];
