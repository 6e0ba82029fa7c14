// The list of services.

import { DeployedList } from './deployed/list.tsx';

export default function ServicesPage() {
  return <DeployedList kind="service" />;
}
