// Written by `recourse init amp`, which also changes and removes it.
import { spawnSync } from "node:child_process"

const PROGRAM = @PROGRAM@
const FAILED = "recourse could not judge this call, so it does not run"

export default function (amp: any) {
  amp.on("tool.call", (event: any, context: any) => {
    const threadId = event.thread?.id ?? context?.thread?.id
    const call = JSON.stringify({ tool: event.tool, input: event.input, cwd: process.cwd(), threadId })
    const done = spawnSync(PROGRAM, ["hook", "amp"], { input: call, encoding: "utf8", timeout: 5000 })
    if (done.error || done.status !== 0) {
      return { action: "reject-and-continue", message: (done.stderr || "").trim() || FAILED }
    }
    const answer = (done.stdout || "").trim()
    if (answer === "") {
      return { action: "allow" }
    }
    try {
      return JSON.parse(answer)
    } catch {
      return { action: "reject-and-continue", message: FAILED }
    }
  })
}
