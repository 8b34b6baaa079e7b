/**
 * The controller of the measured operator, by `MEASURED_CONTROLLER`. `reads`: it reconciles each ConfigMap
 * once for each state, and reads it. `keys`: ConfigMaps are the children of objects of which there are
 * none, so that it knows them by keys and owners, and reads none. Loaded by `chancery run`.
 */
import { type Controller, controller } from 'chancery';
import { type ConfigMap, configMaps, secrets } from 'chancery/kubernetes';

const reading: Controller = controller<ConfigMap>({
  name: 'measured',
  for: configMaps,
  async reconcile(configMap, { key }) {
    if (configMap.data?.text === undefined) throw new Error(`${key} has no text`);
  },
});

const owning: Controller = controller({
  name: 'measured',
  for: secrets,
  owns: [configMaps],
  reconcile: async () => {},
});

const measured: Controller = process.env.MEASURED_CONTROLLER === 'reads' ? reading : owning;

export default measured;
