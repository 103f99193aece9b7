// The component that brings a part: it shows nothing itself.

import { readFrame } from "../component/text.js";
import { bringPart } from "./parts.js";

export default function ({ data }) {
  return bringPart(readFrame(data));
}
