/** The one workbench of all tests, and the person before it. */
import { Person } from "./person";
import { Workbench } from "./workbench";

export const workbench = new Workbench();
export const person = new Person(() => workbench.page);
