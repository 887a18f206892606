import { mount } from "svelte";
import { answerBy } from "../api.svelte";
import "../style.css";
import { answers, read } from "./data";
import Report from "./Report.svelte";

const target = document.getElementById("app");
if (target) {
  const data = await read();
  answerBy(answers(data));
  mount(Report, { target, props: { data } });
}
