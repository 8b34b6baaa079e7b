import { clusterController } from './cluster/reconcile.ts';
import { roleController } from './cluster/roles.ts';
import { instanceController } from './instance/reconcile.ts';
import { scheduleController } from './schedule/reconcile.ts';

export default [clusterController, roleController, scheduleController, instanceController];
