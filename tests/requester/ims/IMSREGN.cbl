      * A region of IMS for tests: runs the program that its argument
      * names, with the program control block of its terminal.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. IMSREGN.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  IO-PCB  PIC X(40) VALUE SPACES.
       01  PROGRAM-NAME PIC X(8).
       PROCEDURE DIVISION.
           ACCEPT PROGRAM-NAME FROM COMMAND-LINE
           CALL PROGRAM-NAME USING IO-PCB
           STOP RUN.
