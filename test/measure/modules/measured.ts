/**
 * The controller of the measured operator, by `MEASURED_CONTROLLER`. `reads`: it reconciles each ConfigMap
 * once for each state, and reads it. `keys`: ConfigMaps are the children of objects of which there are
 * none, so that it knows them by keys and owners, and reads none. Loaded by `chancery run`.
 */
import { AWAIT_CHANGE, type Controller, controller } from 'chancery';
import { type ConfigMap, configMaps, secrets } from 'chancery/kubernetes';

const reading: Controller = controller<ConfigMap>({
  name: 'measured',
  for: configMaps,
  async reconcile(key, configMap) {
    if (configMap?.data?.text === undefined) throw new Error(`${key} has no text`);
    return AWAIT_CHANGE;
  },
});

const owning: Controller = controller({
  name: 'measured',
  for: secrets,
  owns: [configMaps],
  reconcile: async () => AWAIT_CHANGE,
});

const measured: Controller = process.env.MEASURED_CONTROLLER === 'reads' ? reading : owning;

export default measured;
