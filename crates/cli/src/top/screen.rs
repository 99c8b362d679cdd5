//! The screen of `phasor top`. It needs 80 columns and 24 lines, and uses more.

use phasor_lens::json::Json;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::sample::{LoopSample, Sample};
use super::{Output, lock};

/// How many loops are listed; more are scrolled.
const MOST_LOOPS: usize = 6;

/// How many lines of a program's output are shown.
const OUTPUT_LINES: u16 = 3;

/// A loop that has not polled for so long is shown as blocked.
const BLOCKED_MS: f64 = 500.0;

/// What is shown.
pub(crate) struct View {
    title: String,
    pub(crate) sample: Sample,
    pub(crate) has_ended: bool,
    /// The process does not answer.
    pub(crate) is_silent: bool,
    /// The output of a program that was started.
    output: Option<Output>,
    selected: usize,
    has_colors: bool,
}

impl View {
    /// A view of a process that has answered to `{"ask":"info"}`.
    pub(crate) fn new(pid: u32, info: Json, output: Option<Output>) -> View {
        let arguments = info.get("arguments").map(Json::items).unwrap_or_default().iter().filter_map(Json::as_str);
        let mut words = arguments.map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = [words.next().unwrap_or_default(), words.next().unwrap_or_default()].join(" ");
        View {
            title: format!("{} ({pid}), {}", program.trim(), info.text("runtime")),
            sample: Sample::default(),
            has_ended: false,
            is_silent: false,
            output,
            selected: 0,
            // The environment variable `NO_COLOR` is respected (https://no-color.org).
            has_colors: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }

    /// Selects another loop.
    pub(crate) fn select(&mut self, step: isize) {
        let last = self.sample.loops.len().saturating_sub(1);
        self.selected = self.selected.min(last).saturating_add_signed(step).min(last);
    }

    fn colored(&self, color: Color) -> Style {
        if self.has_colors { Style::new().fg(color) } else { Style::new() }
    }

    /// A color for a share of the time.
    fn level(&self, share: f64) -> Style {
        match share {
            0.9.. => self.colored(Color::Red).add_modifier(Modifier::BOLD),
            0.6.. => self.colored(Color::Yellow),
            _ => self.colored(Color::Green),
        }
    }

    fn heading(text: String) -> Line<'static> {
        Line::styled(text, Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED))
    }

    /// Draws the whole screen.
    pub(crate) fn draw(&mut self, frame: &mut Frame<'_>) {
        let listed = self.sample.loops.len().clamp(1, MOST_LOOPS) as u16;
        let output_lines = if self.output.is_some() { OUTPUT_LINES + 1 } else { 0 };
        let areas = Layout::vertical([
            Constraint::Length(2),
            Constraint::Length(listed + 2),
            Constraint::Length(9),
            Constraint::Min(2),
            Constraint::Length(output_lines),
            Constraint::Length(1),
        ])
        .split(frame.area());
        let [title, loops, middle, slow, output, foot] = [0, 1, 2, 3, 4, 5].map(|at| areas[at]);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        frame.render_widget(Paragraph::new(Line::styled(format!("phasor top: {}", self.title), bold)), title);
        frame.render_widget(Paragraph::new(self.loop_lines()), loops);
        let halves = Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).split(middle);
        self.selected = self.selected.min(self.sample.loops.len().saturating_sub(1));
        if let Some(selected) = self.sample.loops.get(self.selected) {
            frame.render_widget(Paragraph::new(self.phase_lines(selected, halves[0])), halves[0]);
            frame.render_widget(Paragraph::new(self.kind_lines(selected, halves[1])), halves[1]);
            frame.render_widget(Paragraph::new(self.slow_lines(selected)), slow);
        }
        if let Some(kept) = &self.output {
            let kept = lock(kept);
            let last = kept.iter().rev().take(OUTPUT_LINES.into()).rev();
            let mut lines = vec![View::heading("Output of the program".into())];
            lines.extend(last.map(|line| Line::raw(printable(line))));
            frame.render_widget(Paragraph::new(lines), output);
        }
        frame.render_widget(Paragraph::new(self.foot_line()), foot);
    }

    fn foot_line(&self) -> Line<'static> {
        let [threads, busy, queued] = self.sample.pool;
        let pool = format!("Pool: {busy} of {threads} threads busy, {queued} tasks queued");
        let reversed = Style::new().add_modifier(Modifier::REVERSED);
        let text = match (self.has_ended, self.is_silent) {
            (true, _) => return Line::styled(" The process has ended. q: quit ", reversed),
            (false, true) => {
                return Line::styled(" The process does not answer: it may be stopped. q: quit ", reversed);
            }
            (false, false) => "   arrows: select a loop   q: quit",
        };
        Line::from(vec![Span::raw(pool), Span::styled(text, Style::new().add_modifier(Modifier::DIM))])
    }

    fn loop_lines(&self) -> Vec<Line<'static>> {
        let mut lines = vec![View::heading(format!(
            "  {:<14}{:>7}{:>11}{:>11}{:>11}{:>10}{:>13} ",
            "LOOP", "USED", "DELAY p50", "p99", "max", "TURNS/s", "CALLBACKS/s"
        ))];
        let first = self.selected.saturating_sub(MOST_LOOPS - 1);
        for (at, each) in self.sample.loops.iter().enumerate().skip(first).take(MOST_LOOPS) {
            let mark = if at == self.selected { "> " } else { "  " };
            let name = Span::raw(format!("{mark}{:<14.14}", each.name));
            let [p50, p99, most] = each.delays_ms.map(time);
            let mut spans = vec![name];
            if each.busy_ms >= BLOCKED_MS {
                let what = each.current.as_ref().map(|(kind, _)| format!(" by a {kind} callback")).unwrap_or_default();
                let style = self.colored(Color::Red).add_modifier(Modifier::BOLD | Modifier::REVERSED);
                spans.push(Span::styled(format!(" blocked for {}{what} ", time(each.busy_ms)), style));
            } else if each.is_observed {
                let used = format!("{:>6.1}%", each.utilisation * 100.0);
                spans.push(Span::styled(used, self.level(each.utilisation)));
                spans.push(Span::raw(format!(
                    "{p50:>11}{p99:>11}{most:>11}{:>10.0}{:>13.0}",
                    each.turns_per_s, each.callbacks_per_s
                )));
            }
            lines.push(Line::from(spans));
        }
        if self.sample.loops.is_empty() {
            lines.push(Line::raw("  no event loop yet"));
        }
        lines
    }

    fn phase_lines(&self, each: &LoopSample, area: Rect) -> Vec<Line<'static>> {
        let mut lines = vec![View::heading(format!("Time by phase, {}", each.name))];
        // The name and the number take 18 columns.
        let width = usize::from(area.width).saturating_sub(20).max(4);
        for (name, share) in &each.phases {
            let filled = (share * width as f64).round() as usize;
            let bar = format!("{}{}", "█".repeat(filled.min(width)), "·".repeat(width - filled.min(width)));
            lines.push(Line::from(vec![
                Span::raw(format!("{name:<9}{:>6.1}% ", share * 100.0)),
                Span::styled(bar, self.level(*share)),
            ]));
        }
        lines
    }

    fn kind_lines(&self, each: &LoopSample, area: Rect) -> Vec<Line<'static>> {
        let mut lines = vec![View::heading("Callbacks by kind".into())];
        for (name, per_s, share) in each.callbacks.iter().take(4) {
            lines.push(Line::raw(format!("{name:<12}{per_s:>10.0}/s{:>8.1}%", share * 100.0)));
        }
        lines.push(View::heading("Open handles".into()));
        // As many as fit into two lines.
        let width = usize::from(area.width);
        let mut line = String::new();
        for (name, count) in &each.handles {
            let word = format!("{count} {name}");
            if !line.is_empty() && line.len() + word.len() + 2 > width {
                lines.push(Line::raw(std::mem::take(&mut line)));
            }
            line.push_str(if line.is_empty() { "" } else { ", " });
            line.push_str(&word);
        }
        lines.push(Line::raw(line));
        lines
    }

    fn slow_lines(&self, each: &LoopSample) -> Vec<Line<'static>> {
        let mut lines = vec![View::heading("Slowest callbacks of the last 10 s".into())];
        for slow in &each.slow {
            let text = format!("{:>10}  {:<11}{:>5.0} s ago  ", time(slow.took_ms), slow.kind, slow.ago_s);
            lines.push(Line::from(vec![
                Span::styled(text, self.level(slow.took_ms / 100.0)),
                Span::raw(printable(&slow.location)),
            ]));
        }
        if each.slow.is_empty() {
            lines.push(Line::styled("  none took 1 ms", Style::new().add_modifier(Modifier::DIM)));
        }
        lines
    }
}

/// Text of a program without control characters.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A time with its unit.
fn time(ms: f64) -> String {
    match ms {
        1000.0.. => format!("{:.1} s", ms / 1000.0),
        10.0.. => format!("{ms:.0} ms"),
        0.001.. => format!("{ms:.2} ms"),
        _ => "0 ms".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::sample::SlowSample;
    use super::*;

    fn text(view: &mut View, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| view.draw(frame)).unwrap();
        terminal.backend().to_string()
    }

    fn view() -> View {
        let info = Json::parse(r#"{"runtime":"phasor 1","arguments":["/bin/phasor","/app/x.js"]}"#).unwrap();
        let mut view = View::new(7, info, None);
        let main = LoopSample {
            name: "main".into(),
            is_observed: true,
            utilisation: 0.95,
            delays_ms: [0.0, 12.0, 2500.0],
            turns_per_s: 1000.0,
            phases: ["timers", "pending", "idle", "prepare", "poll", "check", "closing"]
                .map(|name| (name.into(), 0.5))
                .into(),
            callbacks: vec![("timer".into(), 10.0, 0.5)],
            handles: vec![("tcp".into(), 12)],
            slow: vec![SlowSample { took_ms: 80.0, ago_s: 2.0, kind: "timer".into(), location: "f (x.js:1:2)".into() }],
            ..LoopSample::default()
        };
        let worker = LoopSample { name: "worker 1".into(), busy_ms: 3000.0, ..LoopSample::default() };
        view.sample = Sample { loops: vec![main, worker], pool: [4, 1, 2] };
        view
    }

    #[test]
    fn everything_is_on_a_small_screen_and_no_size_panics() {
        let mut view = view();
        let shown = text(&mut view, 80, 24);
        for part in [
            "phasor top: phasor x.js (7), phasor 1",
            "> main            95.0%       0 ms      12 ms      2.5 s      1000",
            "worker 1       blocked for 3.0 s",
            "closing    50.0% ██████████",
            "12 tcp",
            "80 ms  timer          2 s ago  f (x.js:1:2)",
            "Pool: 1 of 4 threads busy, 2 tasks queued",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        view.select(1);
        view.select(1);
        assert!(text(&mut view, 200, 60).contains("> worker 1"));
        view.select(-5);
        assert!(text(&mut view, 80, 24).contains("> main"));
        for (width, height) in [(1, 1), (20, 5), (79, 10), (300, 100)] {
            text(&mut view, width, height);
        }
        view.has_ended = true;
        assert!(text(&mut view, 80, 24).contains("The process has ended"));
    }
}
