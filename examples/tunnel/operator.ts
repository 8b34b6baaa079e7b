import { provisionerFrom, settingsFrom } from './settings.ts';
import { tunnelOperator } from './tunnel-operator.ts';

export default tunnelOperator({
  provisioner: provisionerFrom(process.env),
  settings: settingsFrom(process.env),
});
